"""An exported site: the workbench as files for any web server, with recorded replies and the rows of its tables."""

from rowspace_lab.export.site import Exported, export_site

__all__ = ["Exported", "export_site"]
