import CKernels

extension PixelBuffer {
    /// The image blurred, edges extended, as premultiplied RGBA of the same depth.
    ///
    /// Throws `tooLarge` for a side above `ImageLimits.maximumFilteredSide`: the kernels need scratch memory
    /// of dozens of bytes per pixel of the longer side.
    func blurred(_ blur: BoxBlur) throws(ImageCodecError) -> PixelBuffer {
        guard max(width, height) <= ImageLimits.maximumFilteredSide else {
            throw .tooLarge(width: width, height: height)
        }
        let source = try premultiplied(format.depth)
        if format.depth == .sixteen { return try source.blurred16(blur) }
        let scratch = try Scratch(byteCount: kf_blur_scratch(max(width, height), blur.passes))
        return try PixelBuffer.decoding(size, format: source.format) { target, targetStride in
            kf_box_blur(
                KernelLevel.current.native, source.unsafeBase.assumingMemoryBound(to: UInt8.self),
                source.bytesPerRow, Int32(width), Int32(height), Int32(blur.reach), Int32(blur.passes),
                scratch.bytes, target.assumingMemoryBound(to: UInt8.self), targetStride)
        }
    }

    private func blurred16(_ blur: BoxBlur) throws(ImageCodecError) -> PixelBuffer {
        let scratch = try Scratch(byteCount: kf_blur_scratch16(max(width, height)))
        return try PixelBuffer.decoding(size, format: format) { target, targetStride in
            kf_box_blur16(
                unsafeBase.assumingMemoryBound(to: UInt16.self), bytesPerRow, Int32(width), Int32(height),
                Int32(blur.reach), Int32(blur.passes), scratch.samples(as: UInt16.self),
                target.assumingMemoryBound(to: UInt16.self), targetStride)
        }
    }
}
