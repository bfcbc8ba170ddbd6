import KingfisherCodecSupport

extension HEICCodec: IsolatableCodec {
    package static var isTrusted: Bool { false }
}
