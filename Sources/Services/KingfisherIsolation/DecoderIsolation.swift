public import KingfisherImage

/// Decodes files in locked-down processes: a `DecodingStrategy` for a `DecodingContext`.
///
/// A decoder that has been compromised by a file cannot connect, start programs or open files, except that
/// the decoder of SVG can open fonts; see SECURITY.md. The calling thread waits for the decoder; without
/// isolation, it would decode. Encoding, processors and codecs of other packages stay in the program. Safe
/// from any thread.
///
///     let isolation = DecoderIsolation(policy: .all)
///     let image = try DecodingContext(strategy: isolation).run { try Image.decode(data) }
public final class DecoderIsolation: DecodingStrategy {
    /// What is isolated.
    public let policy: IsolationPolicy
    /// The processes.
    public let pool: DecoderPool

    /// Creates a strategy. No process starts before the first file.
    public init(policy: IsolationPolicy = .untrustedFormats, pool: DecoderPool = .shared) {
        self.policy = policy
        self.pool = pool
    }

    public func codec(inPlaceOf codec: any ImageCodec) -> any ImageCodec {
        guard let access = policy.access(for: codec) else { return codec }
        return IsolatedCodec(codec, access: access, pool: pool)
    }
}

extension ImageCodecs {
    /// Isolates the registered codecs of the process, for every manager and every direct call; codecs that
    /// are registered later are not affected. Safe from any thread; a codec that is isolated stays as it is.
    ///
    ///     ImageCodecs.register(.avif)
    ///     ImageCodecs.isolate(with: DecoderIsolation(policy: .all))
    public static func isolate(with isolation: DecoderIsolation = DecoderIsolation()) {
        replaceEach(isolation.codec(inPlaceOf:))
    }
}
