/// BMP, ICO and CUR for Kingfisher: `import KingfisherBMP` also imports `KingfisherCodecSupport`.
@_exported public import KingfisherCodecSupport
