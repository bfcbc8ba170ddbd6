import KingfisherCodecSupport

extension TIFFCodec: IsolatableCodec {
    package static var isTrusted: Bool { false }

    package var variant: Int { page }

    package func with(variant: Int) -> TIFFCodec { TIFFCodec(page: variant) }
}
