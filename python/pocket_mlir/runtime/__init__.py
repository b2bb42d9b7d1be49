"""What runs on the device: sessions, checkpoints, bundles.

Nothing here imports PyTorch or the compiler. Needed are numpy, safetensors and
`iree-base-runtime`.
"""

from .history import History
from .session import Session

__all__ = ["Session", "History"]
