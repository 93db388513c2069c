// What a head of its own costs published models, as the server counts it.

import type { TyingReply } from "../../api/types.generated";
import { array, type Reply } from "../../lib/reply";

export interface Model {
  name: string;
  tied: boolean;
  rows: number;
  dim: number;
  /** The parameters of the head's matrix, and its bytes. */
  matrix: number;
  bytes: number;
  /** All parameters, head and table counted apart. */
  untied: number;
  /** The matrix's part of them. */
  share: number;
}

/** The models, those first whose head is the largest part of them. */
export function modelsOf(reply: Reply<TyingReply>): Model[] {
  const [matrices, saved, parameters] = ["matrices", "saved", "parameters"].map((name) => array(reply, name));
  const models = reply.meta.models.map((name, index) => {
    const tied = reply.meta.tied[index] ?? false;
    const matrix = matrices?.[index] ?? 0;
    const untied = (parameters?.[index] ?? 0) + (tied ? matrix : 0);
    const [rows = 0, dim = 0] = reply.meta.sizes[index] ?? [];
    return { name, tied, rows, dim, matrix, bytes: saved?.[index] ?? 0, untied, share: matrix / untied };
  });
  return models.sort((one, other) => other.share - one.share);
}
