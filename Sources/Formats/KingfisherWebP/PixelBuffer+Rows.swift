import KingfisherCodecSupport

extension PixelBuffer {
    func withRows<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
        withUnsafeBytes { bytes in
            guard let rows = bytes.baseAddress else { preconditionFailure("no image is empty") }
            return body(rows)
        }
    }
}
