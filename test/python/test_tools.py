"""The programs beside the Python package: pocket-opt and pocket-lsp-server."""

import json
import subprocess
from pathlib import Path

BIN = Path(__file__).resolve().parent.parent.parent / "build" / "bin"


def test_pocket_opt_says_what_it_is():
    version = subprocess.run([BIN / "pocket-opt", "--version"], capture_output=True, text=True, check=True).stdout
    assert "22.1.8" in version
    text = subprocess.run([BIN / "pocket-opt", "--help"], capture_output=True, text=True, check=True).stdout
    assert text.startswith("OVERVIEW: Pocket MLIR pass driver")
    for name in ("--pocket-autodiff", "--pocket-to-linalg", "--canonicalize"):
        assert name in text


def test_pocket_opt_names_the_place_of_an_error():
    text = 'func.func @f(%x: tensor<2xf32>) -> tensor<3xf32> {\n  %0 = pocket.relu %x : tensor<3xf32>\n'
    run = subprocess.run([BIN / "pocket-opt"], input=text, capture_output=True, text=True)
    assert run.returncode == 1
    assert "<stdin>:2:" in run.stderr


def message(method: str, parameters: dict, number: int | None = None) -> bytes:
    body = {"jsonrpc": "2.0", "method": method, "params": parameters}
    if number is not None:
        body["id"] = number
    text = json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)


def replies(output: bytes) -> list[dict]:
    found = []
    while output:
        header, _, output = output.partition(b"\r\n\r\n")
        length = int(header.split(b"Content-Length:")[1].split()[0])
        found.append(json.loads(output[:length]))
        output = output[length:]
    return found


def test_language_server_answers():
    document = {"uri": "file:///program.mlir", "languageId": "mlir", "version": 1,
                "text": "func.func @f(%x: tensor<2xf32>) {\n  %0 = pocket.softmax %x dim = 3 : tensor<2xf32>\n  return\n}\n"}
    run = subprocess.run(
        [BIN / "pocket-lsp-server"], capture_output=True, timeout=60,
        input=message("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, 0)
        + message("initialized", {}) + message("textDocument/didOpen", {"textDocument": document})
        + message("shutdown", {}, 1) + message("exit", {}))
    assert run.returncode == 0, run.stderr.decode()
    answers = replies(run.stdout)
    assert answers[0]["id"] == 0
    assert answers[0]["result"]["serverInfo"]["name"] == "mlir-lsp-server"
    diagnostics = [d for a in answers if a.get("method") == "textDocument/publishDiagnostics" for d in a["params"]["diagnostics"]]
    assert "runs along dimension 3 of a tensor of rank 1" in diagnostics[0]["message"]
    assert diagnostics[0]["range"]["start"]["line"] == 1
