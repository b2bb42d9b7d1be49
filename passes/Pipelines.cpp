// The named pipelines: the way from @forward to what the code generator takes.
// pocket_mlir/compiler.py runs them one after the other.
#include "Pocket/IR/Pocket.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Autodiff/Passes.h"
#include "passes/Backward/Passes.h"
#include "passes/Layout/Passes.h"
#include "passes/Lowering/Passes.h"
#include "passes/Memory/Passes.h"
#include "passes/Register.h"
#include "passes/Updates/Passes.h"

using namespace mlir;

namespace pocket {
namespace {

/// The options of pocket-attach-optimizer, passed on as they stand.
struct TrainingOptions : PassPipelineOptions<TrainingOptions> {
  Option<std::string> optimizer{*this, "optimizer", llvm::cl::desc("sgd or adamw"), llvm::cl::init("sgd")};
  Option<double> momentum{*this, "momentum", llvm::cl::desc("Momentum of sgd"), llvm::cl::init(0.0)};
  Option<bool> nesterov{*this, "nesterov", llvm::cl::desc("Nesterov's momentum (sgd)"), llvm::cl::init(false)};
  Option<double> weightDecay{*this, "weight-decay", llvm::cl::desc("Weight decay"), llvm::cl::init(0.0)};
  Option<double> beta1{*this, "beta1", llvm::cl::desc("Decay of the first moment (adamw)"), llvm::cl::init(0.9)};
  Option<double> beta2{*this, "beta2", llvm::cl::desc("Decay of the second moment (adamw)"), llvm::cl::init(0.999)};
  Option<double> epsilon{*this, "epsilon", llvm::cl::desc("Added to the denominator (adamw)"), llvm::cl::init(1e-8)};
};

/// Those, and pocket-to-linalg's.
struct WholeOptions : TrainingOptions {
  Option<int64_t> vectorBits{*this, "vector-bits",
                             llvm::cl::desc("Width of the target's vector registers, 0 for a GPU"),
                             llvm::cl::init(256)};
};

struct LoweringOptions : PassPipelineOptions<LoweringOptions> {
  Option<int64_t> vectorBits{*this, "vector-bits",
                             llvm::cl::desc("Width of the target's vector registers, 0 for a GPU"),
                             llvm::cl::init(256)};
};

void simplify(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void buildForward(OpPassManager &pm) {
  simplify(pm);
  pm.addPass(createConvertLayout());
  simplify(pm);
}

void buildGradients(OpPassManager &pm) {
  pm.addPass(createVerifyDifferentiable());
  pm.addPass(createAutodiff());
  simplify(pm);
  pm.addPass(createPruneGradients());
  simplify(pm);
  pm.addPass(createSaveActivations());
  simplify(pm);
  pm.addPass(createCountCosts());
}

void buildUpdates(OpPassManager &pm, const TrainingOptions &options) {
  AttachOptimizerOptions attach;
  attach.optimizer = options.optimizer;
  attach.momentum = options.momentum;
  attach.nesterov = options.nesterov;
  attach.weightDecay = options.weightDecay;
  attach.beta1 = options.beta1;
  attach.beta2 = options.beta2;
  attach.epsilon = options.epsilon;
  pm.addPass(createAttachOptimizer(attach));
  simplify(pm);
}

void buildSchedule(OpPassManager &pm) {
  pm.addPass(createDecompose());
  simplify(pm);
  pm.addPass(createSchedule());
  pm.addPass(createVerifyInplace());
}

void buildLowering(OpPassManager &pm, const LoweringOptions &options) {
  ToLinalgOptions toLinalg;
  toLinalg.vectorBits = options.vectorBits;
  pm.addPass(createToLinalg(toLinalg));
  pm.addPass(createTieResults());
  simplify(pm);
  pm.addPass(createExpandConsumers());
  simplify(pm);
  pm.addPass(createExportTiles());
}

} // namespace

void registerPassesAndPipelines() {
  registerPocketAutodiffPasses();
  registerPocketBackwardPasses();
  registerPocketUpdatesPasses();
  registerPocketMemoryPasses();
  registerPocketLayoutPasses();
  registerPocketLoweringPasses();

  PassPipelineRegistration<>("pocket-forward-pipeline", "Simplify @forward and choose its layouts", buildForward);
  PassPipelineRegistration<>("pocket-gradient-pipeline", "From @forward to a @train_step that returns gradients",
                             buildGradients);
  PassPipelineRegistration<TrainingOptions>("pocket-update-pipeline", "From gradients to updated parameters",
                                            buildUpdates);
  PassPipelineRegistration<>("pocket-schedule-pipeline", "Decompose and order the ops, and prove the updates in place",
                             buildSchedule);
  PassPipelineRegistration<LoweringOptions>("pocket-linalg-pipeline", "From pocket ops to linalg that IREE takes",
                                            buildLowering);
  PassPipelineRegistration<WholeOptions>(
      "pocket-training-pipeline", "All of the way from @forward to linalg", [](OpPassManager &pm, const WholeOptions &options) {
        buildForward(pm);
        buildGradients(pm);
        buildUpdates(pm, options);
        buildSchedule(pm);
        LoweringOptions lowering;
        lowering.vectorBits = options.vectorBits;
        buildLowering(pm, lowering);
      });
}

} // namespace pocket
