package import KingfisherImage

/// A frame of a video. The file is not in the arena: the decoder asks for the bytes that it needs.
package struct VideoJob: Hashable, Sendable {
    /// The bytes of the file.
    package var count: Int
    /// The time of the frame after the start of the video.
    package var seconds: Double
    /// Whether the keyframe before that time is enough.
    package var isKeyframe: Bool
    /// The frame is scaled to fit; nil for its own size. Upright pixels.
    package var maximumSize: PixelSize?
    package var limits: ImageLimits
    /// Where the program stores the bytes that the decoder asks for, and the most of them at once.
    package var window: OutputArea
    /// Where the pixels are stored in the arena.
    package var output: OutputArea

    /// The most bytes that a decoder gets at once.
    package static let windowCount = 256 << 10

    package init(
        count: Int, seconds: Double, isKeyframe: Bool, maximumSize: PixelSize?, limits: ImageLimits,
        window: OutputArea, output: OutputArea
    ) {
        (self.count, self.seconds, self.isKeyframe) = (count, seconds, isKeyframe)
        (self.maximumSize, self.limits) = (maximumSize, limits)
        (self.window, self.output) = (window, output)
    }
}

/// Decodes frames of videos in decoder processes, which only have the rights to answer and to ask.
package protocol VideoDecoder: Sendable {
    /// Loads the libraries, before the lock-down. Returns the names of the video codecs that can be decoded,
    /// and why others are missing.
    func prepare() -> (codecs: [String], missing: String?)

    /// Decodes the frame of a job, upright, in sRGB.
    func frame(_ job: VideoJob, from bytes: any VideoBytes) throws(ImageCodecError) -> PixelBuffer
}

/// The bytes of a video, one call at a time.
package protocol VideoBytes: AnyObject {
    /// Copies bytes from `offset`, as many as fit or fewer, but at least one. Nil if they are refused.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int?
}
