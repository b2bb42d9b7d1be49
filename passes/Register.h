#ifndef POCKET_PASSES_REGISTER_H
#define POCKET_PASSES_REGISTER_H

namespace mlir {
class DialectRegistry;
}

namespace pocket {
/// Every dialect that a pocket program passes through, with the interfaces the passes need.
void registerDialects(mlir::DialectRegistry &registry);
/// The upstream passes that our pipelines and users' command lines need.
void registerUpstreamPasses();
/// Our passes and the named pipelines.
void registerPassesAndPipelines();
} // namespace pocket

#endif // POCKET_PASSES_REGISTER_H
