// Hands our tile sizes to IREE's code generator, as the text it reads.
#include "Pocket/IR/Pocket.h"
#include "passes/Lowering/Passes.h"
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

struct ExportTiles : impl::ExportTilesBase<ExportTiles> {
  void runOnOperation() override {
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
