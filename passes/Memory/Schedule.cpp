#include "passes/Memory/Overwrites.h"
#include "passes/Memory/Passes.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_SCHEDULE
#include "passes/Memory/Passes.h.inc"

namespace {

/// The next op behind `op` that runs where it stands and does not depend on it.
static Operation *nextIndependent(Operation *op) {
  DenseSet<Operation *> dependent = {op};
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (next->hasTrait<OpTrait::IsTerminator>())
      return nullptr;
    if (llvm::any_of(next->getOperands(), [&](Value operand) { return dependent.contains(operand.getDefiningOp()); }))
      dependent.insert(next);
    else if (runsInPlace(next) && !isa<UpdateOpInterface>(next))
      return next;
  }
  return nullptr;
}

/// Moves `op`, with what depends on it and stands before `anchor`, to behind
/// `anchor`. Fails where `anchor` depends on `op` itself.
static bool sinkBehind(Operation *op, Operation *anchor) {
  SmallVector<Operation *> moved;
  DenseSet<Operation *> set;
  for (Operation *each = op;; each = each->getNextNode()) {
    if (each == op || llvm::any_of(each->getOperands(), [&](Value operand) {
          return set.contains(operand.getDefiningOp());
        })) {
      set.insert(each);
      moved.push_back(each);
    }
    if (each == anchor)
      break;
  }
  if (set.contains(anchor))
    return false;
  for (Operation *each : llvm::reverse(moved))
    each->moveAfter(anchor);
  return true;
}

struct Schedule : impl::ScheduleBase<Schedule> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      schedule(function);
  }

  void schedule(func::FuncOp function) {
    SmallVector<Overwrite> overwrites = findOverwrites(function);
    llvm::erase_if(overwrites, [](const Overwrite &each) { return !each.update || !each.inPlace; });
    if (overwrites.empty())
      return;
    SmallVector<Operation *> before;
    for (Operation &op : function.getBody().front())
      before.push_back(&op);

    // Sinking one root may make another's read late: a few rounds settle it,
    // or never do (two parameters that read each other's old values).
    for (unsigned round = 0; round < 4; ++round)
      for (const Overwrite &overwrite : overwrites)
        if (Read late = findLateRead(overwrite))
          repair(overwrite, late);
    for (Overwrite &overwrite : overwrites)
      if (findLateRead(overwrite))
        giveUp(function, overwrite);

    // Each update as soon as it may run.
    DenseSet<Operation *> placed;
    for (const Overwrite &overwrite : overwrites)
      if (placed.insert(overwrite.update).second)
        raise(overwrite.update, overwrites);

    for (auto [old, now] : llvm::zip_equal(before, function.getBody().front()))
      if (old != &now)
        ++numMoved;
  }

  /// Moves the place of an update behind a read that it would disturb.
  void repair(const Overwrite &overwrite, const Read &late) {
    Operation *root = findPlaceOfUpdate(overwrite.update);
    // A value that is made along with its first user, the gradient: another
    // user shall be the first.
    Operation *anchor = late.place == root && late.reader != root ? nextIndependent(root) : late.place;
    if (anchor && !anchor->hasTrait<OpTrait::IsTerminator>())
      sinkBehind(root, anchor);
  }

  /// An update that cannot be ordered gets storage of its own.
  void giveUp(func::FuncOp function, Overwrite &overwrite) {
    overwrite.inPlace = false;
    function.setResultAttr(overwrite.result, inPlaceAttribute, Builder(&getContext()).getBoolAttr(false));
    ++numNotInPlace;
  }

  /// Moves an update up to behind its operands and the last read of what it overwrites.
  void raise(Operation *update, ArrayRef<Overwrite> overwrites) {
    Operation *anchor = nullptr;
    auto wait = [&](Operation *op) {
      if (op && (!anchor || anchor->isBeforeInBlock(op)))
        anchor = op;
    };
    for (Value operand : update->getOperands())
      wait(operand.getDefiningOp());
    for (const Overwrite &each : overwrites)
      if (each.update == update && each.inPlace)
        if (Read read = findLastRead(each.argument, update); read && read.place != update)
          wait(read.place);
    if (!anchor) {
      Block *block = update->getBlock();
      if (&block->front() != update)
        update->moveBefore(&block->front());
      return;
    }
    // Updates that wait for the same thing keep their order.
    while (anchor->getNextNode() != update && isa<UpdateOpInterface>(anchor->getNextNode()))
      anchor = anchor->getNextNode();
    if (anchor->isBeforeInBlock(update))
      update->moveAfter(anchor);
  }
};

} // namespace
} // namespace pocket
