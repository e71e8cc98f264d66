"""What a plan is worth: how likely it is, what each promise costs, and how often what was promised came true."""
