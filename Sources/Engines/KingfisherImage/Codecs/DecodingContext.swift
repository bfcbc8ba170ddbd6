/// What decoding and encoding depend on besides the file: the known formats, the limits, and where codecs
/// run.
///
/// A manager (by its default options), a request (`.decodingContext(_:)`) or a direct call (``run(_:)``) has
/// a context. A nil property means the setting of the process: `ImageCodecs.register`,
/// `ImageLimits.maximumPixels` and so on, and codecs in this process. Contexts are immutable. Create one and
/// reuse it, because requests share an image only if their contexts are the same object.
///
///     let strict = DecodingContext(limits: ImageLimits(maximumPixels: 24_000_000))
///     let image = try strict.run { try Image.decode(data) }
public final class DecodingContext: Sendable {
    /// The codecs; nil for those registered in the process, now or later.
    public let codecs: CodecRegistry?
    /// The limits; nil for the process's limits.
    public let limits: ImageLimits?
    /// Where codecs run; nil for this process.
    public let strategy: (any DecodingStrategy)?
    /// Whether a large image may be decoded by a second thread while a core is idle: while fewer threads of
    /// this process decode JPEG, AVIF and HEIC files than there are cores.
    ///
    /// Thumbnails of large files take about 60 % of the time then, but slightly more processor time. AVIF
    /// files of one tile and HEIC files whose rows depend on each other gain less.
    /// Turn it off where throughput counts, as `KingfisherManager.forServers()` does.
    public let usesIdleCores: Bool

    /// Creates a context; nil means the setting of the process.
    public init(
        codecs: CodecRegistry? = nil, limits: ImageLimits? = nil, strategy: (any DecodingStrategy)? = nil,
        usesIdleCores: Bool = true
    ) {
        self.codecs = codecs
        self.limits = limits
        self.strategy = strategy
        self.usesIdleCores = usesIdleCores
    }

    /// The context that ``run(_:)`` has set for the current task or thread; nil outside of it.
    public static var current: DecodingContext? { scoped }

    @TaskLocal private static var scoped: DecodingContext?

    /// Calls `body` on the caller's thread with this context as the current one for decoding, encoding and
    /// drawing.
    ///
    /// Frames of animations that `body` creates also use this context, even after it returns.
    @discardableResult
    public func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = Self.$scoped.withValue(self) {
            ImageLimits.$scoped.withValue(limits) { () -> Result<Value, Failure> in
                do throws(Failure) {
                    return .success(try body())
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }
}

extension DecodingContext? {
    package func run<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let self else { return try body() }
        return try self.run(body)
    }
}

/// Where codecs run: in this process, or in another one for isolation.
public protocol DecodingStrategy: Sendable {
    /// Returns the codec to use instead of `codec`: itself to run it in this process, or a proxy.
    ///
    /// Called for each file, on any thread; must return quickly.
    func codec(inPlaceOf codec: any ImageCodec) -> any ImageCodec
}
