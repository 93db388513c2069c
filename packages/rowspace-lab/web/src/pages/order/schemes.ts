// What is known of each position scheme, in the order of the server's scores.

export interface Scheme {
  name: string;
  /** The name in the catalogue of models; none of them has sinusoids. */
  key: string;
  /** What happens beyond the trained length. */
  beyond: string;
  works: string;
  source: string;
}

export const FIXED: Scheme[] = [
  {
    name: "Sinusoid",
    key: "sinusoid",
    beyond: "Defined at every position, but the sums with rows are new to the model.",
    works: "no: the loss rises soon after the trained length (Press 2022)",
    source: "Vaswani 2017",
  },
  {
    name: "Learned",
    key: "learned",
    beyond: "There is no row for a later position.",
    works: "no: refused, unless the table is resized",
    source: "Devlin 2018",
  },
  {
    name: "Rotary",
    key: "rotary",
    beyond: "Defined at every distance, but slow pairs reach angles that they never had.",
    works: "not without scaling (Chen 2023: interpolation; Peng 2023: YaRN)",
    source: "Su 2021",
  },
  {
    name: "ALiBi",
    key: "alibi",
    beyond: "The penalty goes on as a straight line, so distant keys count for little.",
    works: "yes, for about twice the trained length and more (Press 2022)",
    source: "Press 2022",
  },
  {
    name: "T5’s bias",
    key: "relative",
    beyond: "All distances from 128 on share one bucket, and its learned bias.",
    works: "partly: better than sinusoid and rotary, below ALiBi (Press 2022)",
    source: "Raffel 2020",
  },
];
