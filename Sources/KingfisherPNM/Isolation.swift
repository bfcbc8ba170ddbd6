import KingfisherCodecSupport

extension PNMCodec: IsolatableCodec {}
