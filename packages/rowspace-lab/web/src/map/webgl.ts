// The WebGL2 backend: positions and colors are in buffers, the vertex shader interpolates tweens, points are summed into a
// texture of floats, and a second pass shows the sums. A lost context is restored from the arrays in Points.

import type { Backend, Frame } from "./backend";
import { DEFAULT_SIZE, type Points } from "./points";
import { POINT_FRAGMENT, POINT_VERTEX, SHOW_FRAGMENT, SHOW_VERTEX } from "./shaders";

const ATTRIBUTES: WebGLContextAttributes = {
  alpha: true,
  antialias: false,
  depth: false,
  premultipliedAlpha: true,
  preserveDrawingBuffer: true, // so that the map can be saved
};

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

let usable: boolean | undefined;

/** Return whether WebGL2 runs on a GPU. In software it is ten times slower than raster.ts. */
export function isWebGLUsable(): boolean {
  if (usable === undefined) {
    const gl = document.createElement("canvas").getContext("webgl2", ATTRIBUTES);
    const named = gl?.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL;
    usable = gl !== null && floatFormat(gl) !== null && !SOFTWARE.test(named ? gl.getParameter(named) : "");
  }
  return usable;
}

export function openWebGL(canvas: HTMLCanvasElement, restored: () => void): Backend {
  const gl = canvas.getContext("webgl2", ATTRIBUTES);
  if (!gl || !floatFormat(gl))
    throw new Error("this browser's WebGL2 cannot blend float textures; use the backend canvas2d");
  return new WebGL(gl, restored);
}

class WebGL implements Backend {
  readonly name = "webgl2";
  private gl: WebGL2RenderingContext;
  private restored: () => void;
  private width = 1;
  private height = 1;
  private points!: WebGLProgram;
  private shown!: WebGLProgram;
  private buffers!: Record<"from" | "to" | "paint" | "size", WebGLBuffer>;
  private sums!: WebGLTexture;
  private target!: WebGLFramebuffer;

  constructor(gl: WebGL2RenderingContext, restored: () => void) {
    this.gl = gl;
    this.restored = restored;
    this.setUp();
    gl.canvas.addEventListener("webglcontextlost", this.onLost);
    gl.canvas.addEventListener("webglcontextrestored", this.onRestored);
  }

  resize(width: number, height: number): void {
    const { gl } = this;
    this.width = width;
    this.height = height;
    gl.bindTexture(gl.TEXTURE_2D, this.sums);
    const [inner, type] = floatFormat(gl) ?? [gl.RGBA16F, gl.HALF_FLOAT];
    gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, gl.RGBA, type, null);
  }

  uploadPositions(points: Points): void {
    this.fill("to", points.to);
    if (points.progress < 1) this.fill("from", points.from);
    this.fill("size", points.sizes);
  }

  uploadAppearance(points: Points): void {
    this.fill("paint", points.paint);
    this.fill("size", points.sizes);
  }

  begin(): void {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  add(points: Points, frame: Frame, first: number, last: number): void {
    const { gl, width, height } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, width, height);
    gl.useProgram(this.points);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    this.attribute("from", points.progress < 1 ? "from" : "to", 2, gl.FLOAT);
    this.attribute("to", "to", 2, gl.FLOAT);
    this.attribute("paint", "paint", 4, gl.UNSIGNED_BYTE, true);
    this.attribute("size", "size", 1, gl.UNSIGNED_BYTE);
    const location = (name: string) => gl.getUniformLocation(this.points, name);
    gl.uniform1f(location("progress"), points.progress);
    gl.uniform1f(location("scale"), frame.scale);
    gl.uniform2f(location("middle"), frame.x, frame.y);
    gl.uniform2f(location("canvas"), width, height);
    gl.uniform1f(location("diameter"), frame.diameter / DEFAULT_SIZE);
    gl.drawArrays(gl.POINTS, first, last - first);
  }

  show(strength: number): void {
    const { gl, width, height } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.disable(gl.BLEND);
    gl.useProgram(this.shown);
    gl.bindTexture(gl.TEXTURE_2D, this.sums);
    gl.uniform1f(gl.getUniformLocation(this.shown, "strength"), strength);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  destroy(): void {
    this.gl.canvas.removeEventListener("webglcontextlost", this.onLost);
    this.gl.canvas.removeEventListener("webglcontextrestored", this.onRestored);
    for (const buffer of Object.values(this.buffers)) this.gl.deleteBuffer(buffer);
    this.gl.deleteTexture(this.sums);
    this.gl.deleteFramebuffer(this.target);
  }

  private onLost = (event: Event): void => event.preventDefault();

  private onRestored = (): void => {
    this.setUp();
    this.resize(this.width, this.height);
    this.restored();
  };

  private setUp(): void {
    const { gl } = this;
    floatFormat(gl);
    this.points = link(gl, POINT_VERTEX, POINT_FRAGMENT);
    this.shown = link(gl, SHOW_VERTEX, SHOW_FRAGMENT);
    const buffer = () => gl.createBuffer()!;
    this.buffers = { from: buffer(), to: buffer(), paint: buffer(), size: buffer() };
    this.sums = gl.createTexture()!;
    this.target = gl.createFramebuffer()!;
    this.resize(this.width, this.height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.sums, 0);
  }

  private fill(name: keyof WebGL["buffers"], values: Float32Array | Uint8Array): void {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[name]);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.DYNAMIC_DRAW);
  }

  private attribute(name: string, buffer: keyof WebGL["buffers"], size: number, type: number, unit = false): void {
    const { gl } = this;
    const location = gl.getAttribLocation(this.points, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[buffer]);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, unit, 0, 0);
  }
}

/** The widest float texture format that this context can blend into. */
function floatFormat(gl: WebGL2RenderingContext): [number, number] | null {
  const wide = gl.getExtension("EXT_color_buffer_float");
  if (wide && gl.getExtension("EXT_float_blend")) return [gl.RGBA32F, gl.FLOAT];
  return wide || gl.getExtension("EXT_color_buffer_half_float") ? [gl.RGBA16F, gl.HALF_FLOAT] : null;
}

function link(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const program = gl.createProgram()!;
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`the map's shaders do not link: ${gl.getProgramInfoLog(program)}`);
  }
  return program;
}
