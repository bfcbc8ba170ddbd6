import KingfisherCodecSupport

extension SVGCodec: IsolatableCodec {
    package static var isTrusted: Bool { false }

    package static var opensFonts: Bool { true }
}
