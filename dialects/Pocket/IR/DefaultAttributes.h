// A trait that verifies that attributes with a default are there.
#ifndef POCKET_IR_DEFAULTATTRIBUTES_H
#define POCKET_IR_DEFAULTATTRIBUTES_H

#include "mlir/IR/OpDefinition.h"

namespace pocket {

/// Verifiers, printers and passes read attributes that have a default without a look
/// whether they are there. An op is created with its defaults, but they can be
/// removed from it, and one that is set to an attribute of another kind is removed too.
template <typename Op>
struct DefaultAttributes : mlir::OpTrait::TraitBase<Op, DefaultAttributes> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *operation) {
    using Properties = typename Op::template InferredProperties<Op>;
    if constexpr (!std::is_same_v<Properties, mlir::EmptyProperties>) {
      mlir::MLIRContext *context = operation->getContext();
      const Properties &given = mlir::cast<Op>(operation).getProperties();
      Properties complete = given;
      Op::populateDefaultProperties(operation->getName(), complete);
      for (mlir::StringAttr name : operation->getName().getAttributeNames())
        if (Op::getInherentAttr(context, complete, name) != Op::getInherentAttr(context, given, name))
          return operation->emitOpError() << "requires attribute '" << name.getValue() << "'";
    }
    return mlir::success();
  }
};

} // namespace pocket

#endif // POCKET_IR_DEFAULTATTRIBUTES_H
