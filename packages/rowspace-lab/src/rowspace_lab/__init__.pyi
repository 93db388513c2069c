from rowspace_lab.app import make_app as make_app
from rowspace_lab.lab import Lab as Lab
