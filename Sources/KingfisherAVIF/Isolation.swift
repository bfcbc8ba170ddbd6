import KingfisherCodecSupport

extension AVIFCodec: IsolatableCodec {}
