from rowspace.scale.batches import EncodeBatches as EncodeBatches
from rowspace.scale.encode import PartsResult as PartsResult, encode_parts as encode_parts
from rowspace.scale.fit.fit_machines import fit_machines as fit_machines
from rowspace.scale.fit.fit_on_ray import fit_on_ray as fit_on_ray
from rowspace.scale.fit.fit_parts import fit_parts as fit_parts
from rowspace.scale.index import build_index as build_index
from rowspace.scale.mapping import map_parts as map_parts
from rowspace.scale.part_files import PartsOptions as PartsOptions
from rowspace.scale.parts import Part as Part, find_parts as find_parts
from rowspace.text.corpus import BadRow as BadRow
