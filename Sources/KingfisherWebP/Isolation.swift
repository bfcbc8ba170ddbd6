import KingfisherCodecSupport

extension WebPCodec: IsolatableCodec {}
