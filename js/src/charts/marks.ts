/** The learner's point: another shape than the model's dot, beside another colour. */
export const DIAMOND = "M0,-4.5L4.5,0L0,4.5L-4.5,0Z";
