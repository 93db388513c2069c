"""Added tokens, such as `[MASK]` or `<|im_start|>`: which a scanner finds itself, and which texts it leaves.

Start at tokens.py; kernels.py finds tokens in a text.
"""

from rowspace.encode.scanners.added.tokens import AddedTokens, added_tokens, same_content

__all__ = ["AddedTokens", "added_tokens", "same_content"]
