from rowspace.search.bridge.bridge import (
    BRIDGES as BRIDGES,
    Bridge as Bridge,
    load_bridge as load_bridge,
    save_bridge as save_bridge,
)
from rowspace.search.bridge.learn import learn_bridge as learn_bridge
from rowspace.search.options import BridgeOptions as BridgeOptions
