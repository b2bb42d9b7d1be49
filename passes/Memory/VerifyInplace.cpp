#include "passes/Memory/Overwrites.h"
#include "passes/Memory/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_VERIFYINPLACE
#include "passes/Memory/Passes.h.inc"

namespace {
struct VerifyInplace : impl::VerifyInplaceBase<VerifyInplace> {
  void runOnOperation() override {
    bool correct = true;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      correct &= verify(function);
    if (!correct)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  bool verify(func::FuncOp function) {
    if (!isFlat(function)) {
      auto hasIdentity = [&](unsigned result) { return static_cast<bool>(Identity::ofResult(function, result)); };
      if (function.isExternal() || llvm::none_of(llvm::seq(0u, function.getNumResults()), hasIdentity))
        return true;
      function.emitError() << "@" << function.getSymName()
                           << " overwrites arguments and expects a body of one block, without regions";
      return false;
    }
    SmallVector<Overwrite> overwrites = findOverwrites(function);
    bool correct = verifyResults(function, overwrites) & verifyUpdates(function, overwrites);
    for (const Overwrite &overwrite : overwrites)
      correct &= verifyReads(function, overwrite);
    return correct;
  }

  /// Every result with an identity is the update of the one argument that has it.
  bool verifyResults(func::FuncOp function, ArrayRef<Overwrite> overwrites) {
    bool correct = true;
    auto error = [&](unsigned result, const Identity &identity) {
      correct = false;
      return function.emitError() << "result " << result << " of @" << function.getSymName() << ", the new value of "
                                  << identity.describe() << ", ";
    };
    for (unsigned result = 0; result < function.getNumResults(); ++result) {
      Identity identity = Identity::ofResult(function, result);
      if (!identity)
        continue;
      const Overwrite *overwrite =
          llvm::find_if(overwrites, [&](const Overwrite &each) { return each.result == result; });
      if (overwrite == overwrites.end()) {
        bool known = llvm::any_of(function.getArguments(), [&](BlockArgument argument) {
          return Identity::ofArgument(function, argument.getArgNumber()) == identity;
        });
        if (known)
          error(result, identity) << "is a second one: an argument is overwritten once";
        else
          error(result, identity) << "has no argument to overwrite";
      } else if (!overwrite->update) {
        error(result, identity) << "is no update of that argument; pocket.assign makes one of any value";
      }
    }
    return correct;
  }

  /// Every update is returned as the new value of what it overwrites.
  bool verifyUpdates(func::FuncOp function, ArrayRef<Overwrite> overwrites) {
    bool correct = true;
    function.walk([&](UpdateOpInterface update) {
      for (unsigned result = 0; result < update->getNumResults(); ++result) {
        Value old = update->getOperand(update.getOverwrittenOperand(result));
        bool returned = llvm::any_of(overwrites, [&](const Overwrite &each) {
          return each.update == update && each.argument == old;
        });
        // Channels taken are a copy, whose new value pocket.assign_channels puts back.
        if (returned || old.getDefiningOp<TakeChannelsOp>())
          continue;
        correct = false;
        if (isa<BlockArgument>(old))
          update.emitOpError() << "overwrites argument " << cast<BlockArgument>(old).getArgNumber()
                               << " but its result " << result << " is not returned as the new value";
        else
          update.emitOpError() << "overwrites a value that is no argument of the function";
      }
    });
    return correct;
  }

  bool verifyReads(func::FuncOp function, const Overwrite &overwrite) {
    Read late = findLateRead(overwrite);
    if (!late)
      return true;
    Identity identity = Identity::ofArgument(function, overwrite.argument.getArgNumber());
    Operation *place = findPlaceOfUpdate(overwrite.update);
    auto diagnostic = overwrite.update->emitOpError() << "overwrites " << identity.describe() << " before its last read";
    if (place != overwrite.update)
      diagnostic.attachNote(place->getLoc()) << "it is fused with its gradient and runs here";
    auto &note = diagnostic.attachNote(late.reader->getLoc()) << "'" << late.reader->getName() << "' reads the old value";
    if (late.place == overwrite.update || late.place == place)
      note << " in the loop that overwrites it";
    else
      note << (late.place == late.reader ? " here" : " and runs with its users");
    return false;
  }
};
} // namespace
} // namespace pocket
