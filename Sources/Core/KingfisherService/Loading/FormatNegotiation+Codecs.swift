public import KingfisherImage

extension FormatNegotiation {
    /// Creates a negotiation of formats in order of preference, as far as the codecs that are registered now
    /// write them.
    public init(registered formats: [ImageFormat]) {
        func written(_ capability: CodecCapabilities) -> Set<ImageFormat> {
            Set(
                ImageCodecs.formats.filter {
                    ImageCodecs.codec(for: $0)?.capabilities.contains(capability) == true
                })
        }
        self.init(
            formats: formats, stills: written(.encodesStills), animations: written(.encodesAnimations))
    }
}
