"""The pocket dialect's ops as Python classes, and its enums."""

from ._pocket_enum_gen import *
from ._pocket_ops_gen import *
