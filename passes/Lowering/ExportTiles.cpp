// Hands our tile sizes to IREE's code generator, as the text it reads, and puts
// its own ops where we marked a linalg op that they do faster.
#include "passes/Lowering/Passes.h"
#include "passes/Lowering/Scalar.h"
#include "passes/Lowering/Tiles.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace pocket {
#define GEN_PASS_DEF_EXPORTTILES
#include "passes/Lowering/Passes.h.inc"

namespace {

std::string list(ArrayRef<int64_t> sizes) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(sizes, os);
  return text + "]";
}

/// The name and value of IREE's attribute for these tiles.
NamedAttribute exported(TilesAttr tiles) {
  std::string config = "lowering_config<distribution = " + list(tiles.getDistribution()) +
                       ", vector_common_parallel = " + list(tiles.getVector());
  if (!tiles.getReduction().empty())
    config += ", vector_reduction = " + list(tiles.getReduction());
  config += ">";
  std::string text = "compilation_info<lowering_config = #iree_cpu." + config +
                     ", translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<" +
                     tiles.getPipeline().str() + ">>>";
  MLIRContext *context = tiles.getContext();
  auto dialect = StringAttr::get(context, "iree_codegen");
  return {StringAttr::get(context, "compilation_info"), OpaqueAttr::get(dialect, text, NoneType::get(context))};
}

/// An op of a dialect that we know by its text only.
Value foreignOp(Emit &e, StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes, Block *body) {
  OperationState state(e.loc, name, operands, Emit::type(operands.back()), attributes);
  if (body)
    state.addRegion()->push_back(body);
  return e.b.create(state)->getResult(0);
}

/// A marked op as one of `iree_linalg_ext`.
Value withForeignOp(Emit &e, linalg::GenericOp op, StringRef form) {
  Value indices = op.getDpsInputs()[0];
  RankedTensorType type = Emit::type(op.getResult(0));
  bool gathers = form == kGatherRows;
  Value source;
  if (gathers)
    op.walk([&](tensor::ExtractOp extract) { source = extract.getTensor(); });
  int64_t rows = gathers ? Emit::shape(source)[0] : type.getDimSize(0);
  // 32-bit indices within bounds: out of them, these ops write anywhere.
  Type i32 = e.b.getI32Type();
  Value held = e.elementwise(RankedTensorType::get(Emit::shape(indices), i32), indices, [&](Emit &body, ValueRange args) {
    return arith::IndexCastOp::create(body.b, body.loc, i32, clampedIndex({body, args[0]}, rows)).getResult();
  });
  NamedAttribute dimensionMap = e.b.getNamedAttr("dimension_map", e.b.getDenseI64ArrayAttr({0}));
  if (gathers)
    return foreignOp(e, "iree_linalg_ext.gather", {source, held, op.getDpsInits()[0]}, dimensionMap, nullptr);

  Type element = type.getElementType();
  auto *body = new Block();
  body->addArguments({element, element}, {e.loc, e.loc});
  OpBuilder inside(e.b.getContext());
  inside.setInsertionPointToStart(body);
  Value sum = arith::AddFOp::create(inside, e.loc, body->getArgument(0), body->getArgument(1));
  inside.create(OperationState(e.loc, "iree_linalg_ext.yield", sum, TypeRange()));
  int64_t count = Emit::shape(indices)[0];
  Value column = e.expand(held, {{0, 1}}, {count, 1});
  return foreignOp(e, "iree_linalg_ext.scatter", {op.getDpsInputs()[1], column, op.getDpsInits()[0]},
                   {dimensionMap, e.b.getNamedAttr("unique_indices", e.b.getBoolAttr(false))}, body);
}

struct ExportTiles : impl::ExportTilesBase<ExportTiles> {
  void runOnOperation() override {
    // MLIR asserts where an unknown dialect's attribute is made in a context that
    // does not allow it.
    bool exports = getOperation()
                       .walk([](Operation *op) {
                         return op->hasAttr(kFormName) || op->hasAttr(kTilesName) || isa<SaveOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
    if (exports && !getContext().allowsUnregisteredDialects()) {
      getOperation().emitError() << "makes attributes and ops of IREE's, which this context does not know: run "
                                    "pocket-opt with --allow-unregistered-dialect";
      return signalPassFailure();
    }
    SmallVector<linalg::GenericOp> marked;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttrOfType<StringAttr>(kFormName))
        marked.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : marked) {
      rewriter.setInsertionPoint(op);
      Emit e(rewriter, op.getLoc());
      rewriter.replaceOp(op, withForeignOp(e, op, op->getAttrOfType<StringAttr>(kFormName)));
      ++numReplaced;
    }
    SmallVector<SaveOp> saved;
    getOperation().walk([&](SaveOp op) { saved.push_back(op); });
    for (SaveOp op : saved) {
      rewriter.setInsertionPoint(op);
      // IREE moves no computation across it.
      OperationState barrier(op.getLoc(), "iree_tensor_ext.compute_barrier.start", op.getInput(), op.getType());
      rewriter.replaceOp(op, rewriter.create(barrier));
      ++numReplaced;
    }
    getOperation().walk([&](Operation *op) {
      auto tiles = op->getAttrOfType<TilesAttr>(kTilesName);
      if (!tiles)
        return;
      op->removeAttr(kTilesName);
      NamedAttribute attribute = exported(tiles);
      op->setAttr(attribute.getName(), attribute.getValue());
      ++numExported;
    });
  }
};

} // namespace
} // namespace pocket
