import CKernels

extension PixelBuffer {
    /// The image blurred, edges extended, as 8-bit premultiplied RGBA.
    ///
    /// Throws `tooLarge` for a side above `ImageLimits.maximumFilteredSide`: the kernels need scratch memory
    /// of dozens of bytes per pixel of the longer side.
    func blurred(_ blur: BoxBlur) throws(ImageCodecError) -> PixelBuffer {
        guard max(width, height) <= ImageLimits.maximumFilteredSide else {
            throw .tooLarge(width: width, height: height)
        }
        let source = try premultiplied()
        let scratch = try Scratch(byteCount: kf_blur_scratch(max(width, height), blur.passes))
        return try PixelBuffer.decoding(size, format: source.format) { target, targetStride in
            kf_box_blur(
                KernelLevel.current.native, source.unsafeBase.assumingMemoryBound(to: UInt8.self),
                source.bytesPerRow, Int32(width), Int32(height), Int32(blur.reach), Int32(blur.passes),
                scratch.bytes, target.assumingMemoryBound(to: UInt8.self), targetStride)
        }
    }
}
