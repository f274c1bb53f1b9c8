/** Thrown by a `request` to say that the upstream refused: it is known that nothing took effect there. */
export class UpstreamRejected extends Error {
  override readonly name = 'UpstreamRejected';
}
