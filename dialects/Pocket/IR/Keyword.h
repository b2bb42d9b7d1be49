// The assembly of enum attributes in ops: a bare keyword.
#ifndef POCKET_IR_KEYWORD_H
#define POCKET_IR_KEYWORD_H

#include "Pocket/IR/Pocket.h"
#include "mlir/IR/DialectImplementation.h"

namespace pocket {

template <typename Attribute>
mlir::ParseResult parseKeyword(mlir::OpAsmParser &parser, Attribute &attribute) {
  using Enum = decltype(attribute.getValue());
  auto value = mlir::FieldParser<Enum>::parse(parser);
  if (mlir::failed(value))
    return mlir::failure();
  attribute = Attribute::get(parser.getContext(), *value);
  return mlir::success();
}

template <typename Attribute>
void printKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *, Attribute attribute) {
  printer << stringifyEnum(attribute.getValue());
}

} // namespace pocket

#endif // POCKET_IR_KEYWORD_H
