// The address of the workbench, relative to the folder of the documentation, or null in a copy without one. The server and an
// exported site replace this file.
globalThis.workbench = null;
