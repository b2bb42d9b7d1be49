"""The pocket dialect's ops as Python classes, and its enums."""

from ..ir import IntegerAttr, IntegerType, register_attribute_builder
from ._pocket_enum_gen import *
from ._pocket_ops_gen import *


@register_attribute_builder("Pocket_I64Attr")
def _i64_attribute(value, context):
    return IntegerAttr.get(IntegerType.get_signless(64, context=context), value)
