/// What decoding and encoding depend on beside the file: the formats that are known, the limits of files, and
/// where codecs run.
///
/// A manager (by its default options), a request (`.decodingContext(_:)`) or a direct call (``run(_:)``)
/// carries one. What a context leaves open is as the process has it: `ImageCodecs.register`,
/// `ImageLimits.maximumPixels` and so on, codecs in this process. It never changes; make one and keep it,
/// because requests share an image only where their contexts are the same object.
///
///     let strict = DecodingContext(limits: ImageLimits(maximumPixels: 24_000_000))
///     let image = try strict.run { try Image.decode(data) }
public final class DecodingContext: Sendable {
    /// The codecs; nil for those that are registered in the process, also later.
    public let codecs: CodecRegistry?
    /// The limits; nil for those of the process.
    public let limits: ImageLimits?
    /// Where codecs run; nil for this process.
    public let strategy: (any DecodingStrategy)?

    /// Leaves to the process what is nil.
    public init(
        codecs: CodecRegistry? = nil, limits: ImageLimits? = nil, strategy: (any DecodingStrategy)? = nil
    ) {
        self.codecs = codecs
        self.limits = limits
        self.strategy = strategy
    }

    /// The context that ``run(_:)`` has set for the current task or thread; nil outside of it.
    public static var current: DecodingContext? { scoped }

    @TaskLocal private static var scoped: DecodingContext?

    /// Calls `body` on the caller's thread; what it decodes, encodes and draws depends on this context alone.
    /// So do the frames of animations that it makes, at any later time.
    @discardableResult
    public func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = Self.$scoped.withValue(self) { () -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension DecodingContext? {
    /// Calls `body` in the context, if there is one.
    package func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let self else { return try body() }
        return try self.run(body)
    }
}

/// Where codecs run: in this process, or elsewhere, in a process that can do no harm for one.
public protocol DecodingStrategy: Sendable {
    /// What reads and writes in place of `codec`: the codec itself to run it in this process, or one that
    /// passes calls on. Asked for each file, on any thread, and quick.
    func codec(inPlaceOf codec: any ImageCodec) -> any ImageCodec
}
