"""`python -m rowspace` is `rowspace`."""

from rowspace.cli import main

if __name__ == "__main__":
    main()
