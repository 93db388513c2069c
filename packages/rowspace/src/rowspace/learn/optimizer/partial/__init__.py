"""Tables of which a part learns: chosen rows, or a change of low rank."""
