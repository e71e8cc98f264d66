"""Controls, evidence, duties, risks and vendors of the demo organizations."""
