"""``python -m zslib`` is the command ``zslib``."""

import sys

from zslib.cli import main

if __name__ == "__main__":
    sys.exit(main())
