#ifndef POCKET_IR_UPDATEOPS
#define POCKET_IR_UPDATEOPS
include "Pocket/IR/PocketBase.td"

def Pocket_Update : DeclareOpInterfaceMethods<Pocket_UpdateOpInterface, ["getOverwrittenOperand"]>;

def Pocket_AssignOp : Pocket_Op<"assign", [Pure, AllTypesMatch<["old_value", "new_value", "result"]>, Pocket_Update]> {
  let summary = "A new value that takes over an old one's storage";
  let arguments = (ins Pocket_Tensor:$old_value, Pocket_Tensor:$new_value);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$old_value `with` $new_value attr-dict `:` type($result)";
}

def Pocket_AssignChannelsOp : Pocket_Op<"assign_channels", [Pure, AllTypesMatch<["old_value", "result"]>, Pocket_Update]> {
  let summary = "A new value for some channels of a tensor, in the storage of the old one";
  let description = [{
    ```mlir
    %w1 = pocket.assign_channels %w <dim = 1, [0 to 4], [6 to 8]> with %s
        : (tensor<2x8xf32>, tensor<2x6xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Pocket_Tensor:$old_value, Pocket_Tensor:$new_channels, Pocket_ChannelsAttr:$channels);
  let results = (outs Pocket_Tensor:$result);
  let assemblyFormat = "$old_value $channels `with` $new_channels attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Pocket_SgdOp : Pocket_Op<"sgd", [Pure, AllTypesMatch<["parameter", "gradient", "new_parameter"]>, Pocket_Update]> {
  let summary = "A step of stochastic gradient descent, with momentum if it has a buffer";
  let description = [{
    With g = gradient + weight_decay * parameter and m = momentum * momentum_buffer + g,
    the parameter moves by -learning_rate times m (g + momentum * m with `nesterov`, g
    without a buffer), as torch.optim.SGD does.
  }];
  let arguments = (ins Pocket_FloatTensor:$parameter, Pocket_FloatTensor:$gradient, Pocket_Scalar:$learning_rate,
                       Optional<Pocket_FloatTensor>:$momentum_buffer, DefaultValuedAttr<F64Attr, "0.0">:$momentum,
                       UnitAttr:$nesterov, DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs Pocket_FloatTensor:$new_parameter, Optional<Pocket_FloatTensor>:$new_momentum_buffer);
  let assemblyFormat = [{$parameter `,` $gradient `learning_rate` $learning_rate (`momentum_buffer` $momentum_buffer^)?
                         (`momentum` `=` $momentum^)? (`nesterov` $nesterov^)? (`weight_decay` `=` $weight_decay^)? attr-dict
                         `:` functional-type(operands, results)}];
  let hasVerifier = 1;
}

def Pocket_AdamwOp : Pocket_Op<"adamw", [Pure,
    AllTypesMatch<["parameter", "gradient", "exp_avg", "exp_avg_sq", "new_parameter", "new_exp_avg", "new_exp_avg_sq"]>, Pocket_Update]> {
  let summary = "A step of AdamW (Loshchilov and Hutter, arXiv 1711.05101)";
  let description = [{
    The parameter first decays by 1 - learning_rate * weight_decay, then moves as
    torch.optim.AdamW moves it. `step` counts this step too: 1 in the first.
  }];
  let arguments = (ins Pocket_FloatTensor:$parameter, Pocket_FloatTensor:$gradient, Pocket_FloatTensor:$exp_avg, Pocket_FloatTensor:$exp_avg_sq,
                       Pocket_Scalar:$learning_rate, Pocket_Scalar:$step,
                       F64Attr:$beta1, F64Attr:$beta2, F64Attr:$epsilon, F64Attr:$weight_decay);
  let results = (outs Pocket_FloatTensor:$new_parameter, Pocket_FloatTensor:$new_exp_avg, Pocket_FloatTensor:$new_exp_avg_sq);
  let assemblyFormat = [{$parameter `,` $gradient `exp_avg` $exp_avg `exp_avg_sq` $exp_avg_sq `learning_rate` $learning_rate `step` $step
                         `beta1` `=` $beta1 `beta2` `=` $beta2 `epsilon` `=` $epsilon `weight_decay` `=` $weight_decay attr-dict
                         `:` functional-type(operands, results)}];
  let hasVerifier = 1;
}
#endif
