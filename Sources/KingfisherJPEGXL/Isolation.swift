import KingfisherCodecSupport

extension JPEGXLCodec: IsolatableCodec {}
