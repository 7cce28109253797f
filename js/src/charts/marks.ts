/** The learner's mark, a diamond; the model's is a dot of another colour. */
export const DIAMOND = "M0,-4.5L4.5,0L0,4.5L-4.5,0Z";
