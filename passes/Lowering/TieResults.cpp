#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Lowering/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_TIERESULTS
#include "passes/Lowering/Passes.h.inc"

namespace {

/// What an argument or result stands for: parameter, buffer or state.
struct Identity {
  Attribute param, buffer, state;
  explicit operator bool() const { return param || buffer || state; }
  bool operator==(const Identity &other) const {
    return param == other.param && buffer == other.buffer && state == other.state;
  }
  static Identity of(DictionaryAttr attrs) {
    if (!attrs || attrs.contains(names::role))
      return {};
    return {attrs.get(names::param), attrs.get(names::buffer), attrs.get(names::state)};
  }
};

struct TieResults : impl::TieResultsBase<TieResults> {
  void runOnOperation() override {
    Builder b(&getContext());
    getOperation()->removeAttr(names::costs);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      for (unsigned result = 0; result < function.getNumResults(); ++result) {
        Identity value = Identity::of(function.getResultAttrDict(result));
        if (!value)
          continue;
        bool found = false;
        for (unsigned argument = 0; argument < function.getNumArguments(); ++argument) {
          if (!(Identity::of(function.getArgAttrDict(argument)) == value))
            continue;
          if (function.getArgumentTypes()[argument] != function.getResultTypes()[result]) {
            function.emitError() << "result " << result << " is the new value of argument " << argument
                                 << " and has another type: " << function.getResultTypes()[result] << ", not "
                                 << function.getArgumentTypes()[argument];
            return signalPassFailure();
          }
          // A value that pocket-schedule could not order gets storage of its own.
          auto inPlace = function.getResultAttrOfType<BoolAttr>(result, "pocket.inplace");
          if (!inPlace || inPlace.getValue())
            function.setArgAttr(argument, "iree.abi.output", b.getIndexAttr(result));
          found = true;
        }
        if (!found) {
          function.emitError() << "result " << result << " is the new value of an argument that does not exist";
          return signalPassFailure();
        }
      }
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.setArgAttrs(i, foreign(function.getArgAttrDict(i)));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        function.setResultAttrs(i, foreign(function.getResultAttrDict(i)));
    }
  }

  /// The attributes that are not ours: the code generator does not know them.
  DictionaryAttr foreign(DictionaryAttr attrs) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute attr : attrs ? attrs : DictionaryAttr::get(&getContext()))
      if (!attr.getName().getValue().starts_with("pocket."))
        kept.push_back(attr);
    return DictionaryAttr::get(&getContext(), kept);
  }
};

} // namespace
} // namespace pocket
