// When to draw, and how much: frames run only while there is something to do, and each is told how many points it may
// draw. The number follows from how long the last frames took, so a slow machine draws fewer points at a time and goes
// on answering. A picture that rests may take longer over a frame than one that moves.

type Pace = { aim: number; budget: number };

const [FEWEST, MOST] = [10_000, 4_000_000];

/** Draws at most so many points, and says whether more is to do. */
export type Draw = (now: number, budget: number) => boolean;

export class Frames {
  private asked = 0;
  private before: { now: number; pace: Pace } | null = null;
  private moving: Pace = { aim: 32, budget: 60_000 };
  private resting: Pace = { aim: 120, budget: 60_000 };
  private draw: Draw;
  private moves: () => boolean;

  /** `moves` says whether the next frame is of a picture that moves. */
  constructor(draw: Draw, moves: () => boolean) {
    this.draw = draw;
    this.moves = moves;
  }

  request(): void {
    this.asked ||= requestAnimationFrame(this.tick);
  }

  stop(): void {
    cancelAnimationFrame(this.asked);
    this.asked = 0;
  }

  private tick = (now: number): void => {
    this.asked = 0;
    if (this.before) adapt(this.before.pace, now - this.before.now);
    const pace = this.moves() ? this.moving : this.resting;
    const start = performance.now();
    const more = this.draw(now, Math.round(pace.budget));
    const took = performance.now() - start;
    if (took > pace.aim) adapt(pace, took);
    this.before = more && took <= pace.aim ? { now, pace } : null;
    if (more) this.request();
  };
}

function adapt(pace: Pace, took: number): void {
  const wanted = pace.budget * Math.min(Math.max(pace.aim / took, 0.5), 1.5);
  pace.budget = Math.min(Math.max(wanted, FEWEST), MOST);
}
