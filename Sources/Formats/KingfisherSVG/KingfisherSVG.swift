/// SVG for Kingfisher: `import KingfisherSVG` also imports `KingfisherCodecSupport`.
@_exported public import KingfisherCodecSupport

extension ImageFormat {
    /// SVG, which is rendered at any size.
    public static let svg = ImageFormat(name: "SVG")
}

extension ImageCodec where Self == SVGCodec {
    /// The codec that renders SVG: `ImageCodecs.register(.svg)`.
    public static var svg: SVGCodec { SVGCodec() }
}
