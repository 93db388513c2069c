// Schedules frames while there is work, each with a budget of points to draw. The budget adapts to the duration of the
// last frames, so that slow machines stay responsive. A still picture may take longer for a frame than a moving one.

/** Target duration of a frame in ms, and points per frame. */
type Pace = { target: number; budget: number };

const MIN_BUDGET = 10_000;
const MAX_BUDGET = 4_000_000;

/** Draws at most `budget` points; returns whether work is left. */
export type Draw = (now: number, budget: number) => boolean;

export class Frames {
  private requestId = 0;
  private previous: { now: number; pace: Pace } | null = null;
  private moving: Pace = { target: 32, budget: 60_000 };
  private resting: Pace = { target: 120, budget: 60_000 };
  private draw: Draw;
  private isMoving: () => boolean;

  /** `isMoving`: whether the next frame shows a moving picture. */
  constructor(draw: Draw, isMoving: () => boolean) {
    this.draw = draw;
    this.isMoving = isMoving;
  }

  request(): void {
    this.requestId ||= requestAnimationFrame(this.tick);
  }

  stop(): void {
    cancelAnimationFrame(this.requestId);
    this.requestId = 0;
  }

  private tick = (now: number): void => {
    this.requestId = 0;
    if (this.previous) adapt(this.previous.pace, now - this.previous.now);
    const pace = this.isMoving() ? this.moving : this.resting;
    const start = performance.now();
    const more = this.draw(now, Math.round(pace.budget));
    const duration = performance.now() - start;
    if (duration > pace.target) adapt(pace, duration);
    this.previous = more && duration <= pace.target ? { now, pace } : null;
    if (more) this.request();
  };
}

function adapt(pace: Pace, duration: number): void {
  const wanted = pace.budget * Math.min(Math.max(pace.target / duration, 0.5), 1.5);
  pace.budget = Math.min(Math.max(wanted, MIN_BUDGET), MAX_BUDGET);
}
