"""What ships with the program: catalogues, rules, prices and playbooks as files, migrations, and the demo."""
