from rowspace.encode.index.bridge.bridge import Bridge as Bridge
from rowspace.encode.index.bridge.learn import learn_bridge as learn_bridge
from rowspace.encode.index.bridge.options import BridgeOptions as BridgeOptions
from rowspace.encode.index.bridge.storage import (
    BRIDGES as BRIDGES,
    load_bridge as load_bridge,
    save_bridge as save_bridge,
)
