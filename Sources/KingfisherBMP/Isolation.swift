import KingfisherCodecSupport

extension BMPCodec: IsolatableCodec {}

extension ICOCodec: IsolatableCodec {}
