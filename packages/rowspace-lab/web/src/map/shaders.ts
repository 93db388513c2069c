// The shaders of webgl.ts. raster.ts repeats their arithmetic; change both together.

export const POINT_VERTEX = `#version 300 es
in vec2 from, to;
in vec4 paint;
in float size;
uniform float progress, scale, diameter;
uniform vec2 middle, canvas;
flat out vec4 tint;
flat out vec3 disc;

void main() {
  vec2 away = from + (to - from) * progress - middle;
  vec2 pixel = vec2(away.x, -away.y) * scale + canvas * 0.5;
  float across = max(1.0, floor(diameter * size + 0.5));
  vec2 square = floor(pixel - across * 0.5 + 0.5) + across * 0.5; // its edges are edges of pixels
  vec2 clip = square / canvas * 2.0 - 1.0;
  gl_Position = size > 0.0 ? vec4(clip.x, -clip.y, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = across;
  tint = vec4(paint.rgb * paint.a, paint.a);
  disc = vec3(pixel.x, canvas.y - pixel.y, across);
}`;

/** A square of 1 or 2 pixels, or a disc with a smooth edge. */
export const POINT_FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 tint;
flat in vec3 disc;
out vec4 sum;

void main() {
  float share = disc.z > 2.0 ? clamp(disc.z * 0.5 + 0.5 - distance(gl_FragCoord.xy, disc.xy), 0.0, 1.0) : 1.0;
  sum = tint * share;
}`;

export const SHOW_VERTEX = `#version 300 es
void main() {
  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}`;

export const SHOW_FRAGMENT = `#version 300 es
precision highp float;
uniform highp sampler2D sums;
uniform float strength;
out vec4 color;

void main() {
  vec4 sum = texelFetch(sums, ivec2(gl_FragCoord.xy), 0);
  color = vec4(0.0);
  if (sum.a == 0.0) return;
  float opacity = 1.0 - exp(-strength * sum.a);
  color = vec4(sum.rgb / sum.a * opacity, opacity);
}`;
