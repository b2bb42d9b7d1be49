#ifndef POCKET_INTERFACES_UPDATEOPINTERFACE
#define POCKET_INTERFACES_UPDATEOPINTERFACE
include "mlir/IR/OpBase.td"

def Pocket_UpdateOpInterface : OpInterface<"UpdateOpInterface"> {
  let cppNamespace = "::pocket";
  let description = [{
    An op whose results are the new values of some of its operands and take
    over their storage. After such an op nothing may read the old value.
  }];
  let methods = [
    InterfaceMethod<"The number of the operand that result `result` overwrites.",
      "unsigned", "getOverwrittenOperand", (ins "unsigned":$result)>
  ];
}
#endif
