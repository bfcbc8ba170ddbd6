"""OpenCV: `opencv_blur.py FILE WIDTH HEIGHT SIGMA`. GaussianBlur of raw RGBA; one thread."""

import sys

import cv2
import numpy

import worker

cv2.setNumThreads(1)
width, height, sigma = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
source = numpy.fromfile(sys.argv[1], numpy.uint8).reshape(height, width, 4)


def blurred():
    return cv2.GaussianBlur(source, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)


worker.serve(blurred, lambda: blurred().tobytes())
